import functions from '@google-cloud/functions-framework';
import { handler } from 'host-shop';

// #region
functions.http('webhooks', handler);
// #endregion
