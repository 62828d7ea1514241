/** WebGPU on a processor: SwiftShader, which Debian's chromium brings, and the Vulkan loader. Slow, and the only device that any machine can have. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

const ICD = '/usr/lib/chromium/vk_swiftshader_icd.json';
const libraries = process.env.LD_LIBRARY_PATH?.split(':') ?? [];
const hasVulkan = [...libraries, '/usr/lib/x86_64-linux-gnu'].some((at) => existsSync(join(at, 'libvulkan.so.1')));
if (!existsSync(ICD) || !hasVulkan) console.warn('chromium and libvulkan1 are not installed: WebGPU is not tried');

test.skipIf(!existsSync(ICD) || !hasVulkan)(
  'searches ask a model on webgpu, and the processor confirms',
  () => {
    const robust = (...args: string[]) => {
      const command = [join(packageRoot, 'bin', 'run.js'), ...args, '--runtime', 'device=webgpu', '--json', '-q'];
      const cwd = mkdtempSync(join(tmpdir(), 'robust-device-'));
      const env = { ...process.env, VK_ICD_FILENAMES: ICD };
      // 4 where so few texts show a victim that answers them all alike.
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd, env, encoding: 'utf8' });
      expect([0, 4], stderr).toContain(status);
      return JSON.parse(stdout);
    };
    const report = robust('attack', '-m', 'bert-mini', '-n', '3', '-a', 'deepwordbug');
    const { clean, attacks } = report.result;
    expect(clean.approximation).toMatchObject({
      precision: 'fp32 on webgpu',
      device: 'webgpu',
      agreement: { n: 3, value: 1 },
    });
    // Tolerance of single precision for another order of summation.
    expect(clean.approximation.difference).toBeLessThan(1e-5);
    expect(attacks[0].succeeded).toBeGreaterThan(0);
    expect(attacks[0].confirmations.asked).toBeGreaterThan(0);
    expect(report.warnings.join()).toContain('not reproducible to the byte');
    const { result: evaluated } = robust('evaluate', '-m', 'bert-mini', '-n', '8');
    expect(evaluated.clean.approximation).toMatchObject({ device: 'webgpu', agreement: { n: 8 } });
  },
  600_000,
);
