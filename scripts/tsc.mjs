// The compiler that builds and checks the project: TypeScript 7, which takes a quarter of the time of TypeScript 6. It has no
// API yet, so the tools that need one find TypeScript 6 as `typescript`.
import './link-packages.mjs';
import '../node_modules/typescript-7/bin/tsc';
