// Worker process of `millrace demo`. It ends with the process that started it, however that one ends.
process.stdin.resume().once('end', () => process.exit());
await import('../dist/bundle/main.js');
