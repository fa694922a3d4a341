import { handler } from 'host-shop';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';

// #region
export default fromNodeMiddleware(toNodeListener(handler));
// #endregion
