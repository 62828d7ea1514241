/** @file Contract of every reporter. */
import assert from 'node:assert/strict';
import type { Report, ReporterPlugin } from '../results/report/report.js';
import { introduction, keep } from './promises.js';
import { report } from './report.js';

/** Throws an Error that lists the promises that `plugin` violates. */
export async function checkReporter(plugin: ReporterPlugin): Promise<void> {
  const render = async (of: Report): Promise<string> => {
    let all = '';
    for await (const chunk of plugin.render(of)) {
      assert.equal(typeof chunk, 'string', 'render: expected pieces of text');
      all += chunk;
    }
    return all;
  };
  const nothing: Report = { ...report(), attacks: [], suites: [], closest: [], warnings: [], examples: none() };
  await keep(plugin.name, [
    ...introduction('reporter', plugin),
    ['it writes something', async () => assert.notEqual(await render(report()), '')],
    [
      'it writes the same output for the same report',
      async () => assert.equal(await render(report()), await render(report())),
    ],
    ['it handles an empty report', async () => assert.equal(typeof (await render(nothing)), 'string')],
    [
      'it escapes terminal control characters of hostile texts',
      async () => {
        const all = await render(report());
        for (const sign of ['\u001b', '\u202e']) assert(!all.includes(sign), 'write texts by visible()');
      },
    ],
  ]);
}

const none = () => ({ async *[Symbol.asyncIterator]() {} });
