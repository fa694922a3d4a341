import { toLambda } from '../../src/webhooks';
import { handler as webhooks } from './shop/index.mjs';

// #region
export const handler = toLambda(webhooks);
// #endregion
