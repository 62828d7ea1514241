import { test } from 'node:test';
import { checkAttack } from 'robust-text/testing';
import plugin from './index.js';

test('it keeps what plugins of its kind promise', () => checkAttack(plugin));
