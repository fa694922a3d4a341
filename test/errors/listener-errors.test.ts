import { expect, it } from 'vitest';
import { WebhookAuthenticationError } from '../../src/errors';

it.each(['missing', 'wrong-scheme', 'malformed', 'mismatch'] as const)(
  'a WebhookAuthenticationError says why a notification is not accepted: %s',
  (reason) => {
    const error = new WebhookAuthenticationError(reason);
    expect(error).toMatchObject({ reason, outcome: undefined });
    expect(error.message).toMatch(/^The notification was not accepted\. .+\.$/);
  },
);
