/** What Redis answers, or a RequestError when it does not for a while: commands wait as long as Redis is away. */
export declare function soon<T>(asked: Promise<T>): Promise<T>;
