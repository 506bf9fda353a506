declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: Vite exports the classes of a module as its default.
  export default classes;
}
