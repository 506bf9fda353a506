/** The part of Swagger UI that the API reference uses; the package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const SwaggerUI: (options: {
    readonly domNode: HTMLElement;
    readonly url: string;
    readonly plugins: readonly (() => object)[];
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'full' | 'none';
    readonly filter: boolean;
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly tryItOutEnabled: boolean;
    readonly requestInterceptor: (request: {
      readonly url: string;
      readonly method?: string;
      readonly headers: Record<string, string>;
    }) => object;
    readonly validatorUrl: null;
  }) => unknown;
  // biome-ignore lint/style/noDefaultExport: it is the default export of the package.
  export default SwaggerUI;
}
