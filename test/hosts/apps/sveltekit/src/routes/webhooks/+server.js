import { handler } from 'host-shop';

// #region
export const POST = ({ request }) => handler(request);
// #endregion
