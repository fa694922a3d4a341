import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config';
import { mutated, type TextMutant } from './mutant';

const mutant: TextMutant | undefined = JSON.parse(process.env['MUTANT'] ?? 'null') ?? undefined;

/** The fault is put in while the file is loaded, so nothing on the disk changes. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: process.env['MUTATION_TESTS']?.split(',') ?? [] },
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform(code, id) {
        if (mutant === undefined || id !== fileURLToPath(new URL(`../../${mutant.file}`, import.meta.url)))
          return;
        return mutated(code, mutant);
      },
    },
  ],
});
