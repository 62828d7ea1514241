import { expect } from 'vitest';
import type { Element } from './xml.js';

interface Rule {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
  readonly children: readonly string[];
}

/** Elements and attributes of Jenkins' junit-10.xsd, as far as it lets them stand where we put them. */
const SCHEMA: Readonly<Record<string, Rule>> = {
  testsuites: {
    required: [],
    allowed: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name'],
    allowed: ['tests', 'failures', 'errors', 'group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  properties: { required: [], allowed: [], children: ['property'] },
  property: { required: ['name', 'value'], allowed: [], children: [] },
  testcase: {
    required: ['name'],
    allowed: ['assertions', 'time', 'classname', 'status', 'class', 'file', 'line', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err', 'properties'],
  },
  failure: { required: [], allowed: ['message', 'type'], children: [] },
  error: { required: [], allowed: ['message', 'type'], children: [] },
  skipped: { required: [], allowed: ['message', 'type'], children: [] },
  'system-out': { required: [], allowed: [], children: [] },
};

/** Expects a report for CI servers as their schema has it. */
export function checkJunit(element: Element): void {
  const rule = SCHEMA[element.name];
  expect(rule, element.name).toBeDefined();
  const names = Object.keys(element.attributes);
  for (const name of rule!.required) expect(names).toContain(name);
  for (const name of names) expect([...rule!.required, ...rule!.allowed]).toContain(name);
  for (const [name, value] of Object.entries(element.attributes)) {
    if (['tests', 'failures', 'errors', 'skipped'].includes(name)) expect(value).toMatch(/^\d+$/);
    if (name === 'time') expect(value).toMatch(/^\d+\.\d+$/);
  }
  for (const child of element.children) {
    expect(rule!.children, `in ${element.name}`).toContain(child.name);
    checkJunit(child);
  }
}
