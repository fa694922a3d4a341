import { expect, it } from 'vitest';
import { absoluteLinks } from '../../scripts/pack';

const files = ['README.md', 'LICENSE', 'docs/errors.md'];
const repository = 'https://git.host.com/a/b/blob/v1.2.3';

it.each([
  ['README.md', '[a](docs/client.md#retries)', `[a](${repository}/docs/client.md#retries)`],
  ['README.md', '![a](docs/images/a.jpg)', `![a](${repository}/docs/images/a.jpg)`],
  ['README.md', '[![a](docs/a.jpg)](docs/b.md)', `[![a](${repository}/docs/a.jpg)](${repository}/docs/b.md)`],
  ['README.md', '[a]: docs/client.md', `[a]: ${repository}/docs/client.md`],
  ['README.md', '[a](src/index.ts) and [b](LICENSE)', `[a](${repository}/src/index.ts) and [b](LICENSE)`],
  [
    'docs/errors.md',
    '[a](client.md) [b](../README.md#x)',
    `[a](${repository}/docs/client.md) [b](../README.md#x)`,
  ],
  [
    'README.md',
    '[a](#below) [b](https://x.com/y) [c](docs/errors.md)',
    '[a](#below) [b](https://x.com/y) [c](docs/errors.md)',
  ],
  ['README.md', '```md\n[a](docs/client.md)\n```', '```md\n[a](docs/client.md)\n```'],
])('in %s, %j becomes %j', (file, text, expected) => {
  expect(absoluteLinks(text, { file, files, repository })).toBe(expected);
});
