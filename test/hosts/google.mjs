import functions from '@google-cloud/functions-framework';
import { handler } from 'host-shop';
import { toNodeListener } from 'pix-automatic-sdk/webhooks';

// #region
functions.http('webhooks', toNodeListener(handler));
// #endregion
