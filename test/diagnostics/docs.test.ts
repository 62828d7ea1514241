/** docs/reference/diagnostics.md is generated from the checks. `npx vitest run test/diagnostics/docs.test.ts -u` updates it. */
import { expect, test } from 'vitest';
import { MAX_QUERIES } from '../../src/diagnostics/diagnose.js';
import { DIAGNOSED_EXAMPLES } from '../../src/results/diagnostics/evidence.js';
import { CHECKS, MIN_DIAGNOSED, MIN_PASSED } from '../../src/results/diagnostics/index.js';

const PAGE = `# Diagnostics

    robust attack -m ./my-model -d dev.tsv -s standard
    #   trustworthy: yes (9 checks)

A model can look robust because the attacks could not work on it. The checks below look for such signs, each taken from the literature (the papers are listed in [src/results/diagnostics](https://github.com/OWNER/robust/blob/main/src/results/diagnostics/index.ts)).

If one fails, the report says \`trustworthy: no\` and names the check with its evidence, and \`robust gate\` is inconclusive (exit code 4) for the metrics of the suite and of its attacks, and for \`overall.*\`.

Some checks read the outcomes. The others need extra queries, which are made after the attacks of the suite \`standard\` and of no other: at most ${MAX_QUERIES} for each of up to
${DIAGNOSED_EXAMPLES} correctly classified examples. They are not among the queries of the attacks. With \`--query-budget run=N\` none are made.

The verdict is \`unknown\`, with a reason, if the extra queries were not made, parts of the run are missing, fewer than ${MIN_PASSED} checks were applicable, or fewer than
${MIN_DIAGNOSED} examples were queried. \`robust leaderboard\` does not rank such a run. The report of another suite has the field \`trustworthy\` only where a check failed. A verdict \`yes\` means that no sign was found, not that the figure is the worst case.
The verdict stands on answers that only the folder of the run keeps: of a \`report.json\`, \`robust gate\` and \`robust card\` are inconclusive for the metrics of the suite.
[How often they are wrong](https://github.com/OWNER/robust/blob/main/docs/research/diagnostics.md).

| check | fails if | extra queries |
|---|---|---|
${CHECKS.map(({ name, fails, queries }) => `| \`${name}\` | ${fails} | ${queries ? 'yes' : 'no'} |`).join('\n')}
`;

test('the reference of diagnostics', async () => {
  await expect(PAGE).toMatchFileSnapshot('../../docs/reference/diagnostics.md');
});
