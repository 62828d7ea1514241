#!/usr/bin/env node
// A crash must never look like exit code 1, which means "the gate failed": anything unexpected leaves with 70 (EX_SOFTWARE).
const crash = (error) => {
  process.stderr.write(
    `robust: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(70);
};
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

const { execute } = await import('@oclif/core');
await execute({ dir: import.meta.url });
