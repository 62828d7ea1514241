import { test } from 'node:test';
import { checkAttack } from 'robust-text/testing';
import plugin from './index.js';

test('it meets the contract of its kind', () => checkAttack(plugin));
