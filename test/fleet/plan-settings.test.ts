/** Values of settings that workers accept. */
import { expect, test } from 'vitest';
import { travelling } from '../../src/app/queue/plan-settings.js';

test.each([
  ['deepwordbug:max-edits=3', true],
  ['@scope/robust-attack-own:depth=2', true],
  ['bae:mlm=./bert', true],
  ['bae:mlm=hf:org/name:mode=insert', true],
  ['./own.mjs', false],
  ['own.ts', false],
  ['bae:mlm=./own.mjs', false],
  ['bae:mlm=./bert:vectors=glove', false],
  ['counter:vectors=glove', false],
  ['spelling:texts=data.tsv', false],
  ['name:option=../up', false],
  ['name:parts=masked,mlm=bert', false],
])('of %s it is %s that it travels', (spec, travels) => {
  expect(travelling.shape.attacks.safeParse([spec]).success).toBe(travels);
});
