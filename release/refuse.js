// npm runs this before `npm publish` in a clone, whose package would hold the runtime of one platform and claim all.
console.error(
  'Expected a publication from release/, got `npm publish` in a clone. Run: npm run release:pack -- packed && node release/publish.js packed',
);
process.exitCode = 1;
