import type { OptionSpec } from './command';

export const DEFAULT_PORT = 4100;
export const DEFAULT_SANDBOX = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Options that several commands have. */
export const jsonOption = { about: 'Print one JSON document' } satisfies OptionSpec;

export const insecureHttpOption = {
  about: 'Send the credentials over plain http to other hosts, such as those of Docker Compose',
} satisfies OptionSpec;

/** For the commands that talk to a running sandbox. */
export const sandboxOptions = {
  sandbox: { value: 'url', about: `The running sandbox (default: ${DEFAULT_SANDBOX})` },
  'allow-insecure-http': insecureHttpOption,
  json: jsonOption,
} satisfies Readonly<Record<string, OptionSpec>>;
