import { expect, test } from 'vitest';
import { ClosingStack, closing, closingOnError } from '../../src/core/closing-stack.js';

/** Notes the names of what is closed, in order. */
function recorder() {
  const closed: string[] = [];
  const open = (name: string, error?: Error) => ({
    name,
    close: async () => {
      closed.push(name);
      if (error) throw error;
    },
  });
  return { closed, open };
}

test('closes in reverse order, each once, and returns what was added', async () => {
  const { closed, open } = recorder();
  const stack = new ClosingStack();
  expect(stack.add(open('model')).name).toBe('model');
  expect(stack.add(undefined)).toBeUndefined();
  stack.defer(() => closed.push('files'));
  stack.add(open('gradients'));
  await stack.close();
  await stack.close();
  expect(closed).toEqual(['gradients', 'files', 'model']);
});

test('an error while closing leaves nothing open and is thrown', async () => {
  const { closed, open } = recorder();
  const work = closing(async (stack) => {
    stack.add(open('first'));
    stack.add(open('second', new Error('cannot be closed')));
  });
  await expect(work).rejects.toThrow('cannot be closed');
  expect(closed).toEqual(['second', 'first']);
});

test('an error of the work wins over one of closing', async () => {
  const { closed, open } = recorder();
  const work = closing(async (stack) => {
    stack.add(open('model', new Error('cannot be closed')));
    throw new Error('out of memory');
  });
  await expect(work).rejects.toThrow('out of memory');
  expect(closed).toEqual(['model']);
});

test('closingOnError keeps everything open unless the work throws', async () => {
  const { closed, open } = recorder();
  const stack = new ClosingStack();
  expect(await closingOnError(stack, async () => stack.add(open('kept')).name)).toBe('kept');
  expect(closed).toEqual([]);
  const failing = closingOnError(stack, async () => {
    throw new Error('no such model');
  });
  await expect(failing).rejects.toThrow('no such model');
  expect(closed).toEqual(['kept']);
});
