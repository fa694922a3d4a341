import type { SQSHandler } from 'aws-lambda';
import { handler as webhooks } from './shop/index.mjs';

// #region
export const handler: SQSHandler = async ({ Records }) => {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body, messageAttributes } of Records) {
    const { authorization, query } = messageAttributes;
    const { status } = await webhooks.handle({
      method: 'POST',
      url: `?${query?.stringValue ?? ''}`,
      headers: { authorization: authorization?.stringValue },
      body,
    });
    if (status !== 200) batchItemFailures.push({ itemIdentifier: messageId });
  }
  return { batchItemFailures };
};
// #endregion
