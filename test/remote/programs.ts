/** Programs of a few lines, and the same function as a module. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../commands/cli.js';

/** A function of a text that needs no model. */
const CLASSIFY = `
const count = (text, words) => words.filter((word) => text.toLowerCase().includes(word)).length;
export const classify = (text) => {
  const good = count(text, ['good', 'great', 'best', 'fun', 'love', 'warm', 'well']);
  const bad = count(text, ['bad', 'dull', 'worst', 'boring', 'waste', 'hate', 'not']);
  const p = (1 + good + (text.length % 7) / 100) / (2.1 + good + bad);
  return [1 - p, p];
};`;

export const MODULE = `${CLASSIFY}
export default { labels: ['negative', 'positive'], classify: async (texts) => texts.map(classify) };`;

export const HELLO = { robust: 1, labels: ['negative', 'positive'], scores: 'probabilities' };

/** A program that speaks JSON lines. \`answer\`: an expression of what it answers to the request \`q\`, or statements in braces. */
export const speaking = (answer = '{ id: q.id, scores: q.texts.map(classify) }', hello: unknown = HELLO): string => `
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
${CLASSIFY}
const say = (value) => process.stdout.write(\`\${typeof value === 'string' ? value : JSON.stringify(value)}\\n\`);
let asked = 0;
say(${JSON.stringify(hello)});
for await (const line of createInterface({ input: process.stdin })) {
  const q = JSON.parse(line);
  asked++;
  ${answer.startsWith('{ id') ? `say(${answer});` : answer}
}`;

/** The word for --model that runs a program of Node, in a folder of its own unless one is given. */
export function node(code: string, args = '', cwd = folder({ 'victim.mjs': code })): string {
  return `cmd:node '${join(cwd, 'victim.mjs')}' ${args}`;
}

/** The word for --model that names a file with this description. */
export const described = (description: object, files: Readonly<Record<string, string>> = {}): string =>
  `cmd:${join(folder({ ...files, 'victim.yaml': JSON.stringify(description) }), 'victim.yaml')}`;

/** Waits, in steps, until something holds. */
export async function until(holds: () => boolean, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return holds();
}

/** Whether a process runs: one that ended and that nobody has waited for does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}
