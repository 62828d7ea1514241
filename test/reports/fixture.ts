/** The report that a stranger's tests have too. */
export * from '../../src/testing/report.js';

export async function text(chunks: AsyncIterable<string> | Iterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}
