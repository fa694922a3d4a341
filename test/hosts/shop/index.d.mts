import type { WebhookHandler } from '../../../src/webhooks';

export const handler: WebhookHandler;
