import { handler } from 'host-shop';

// #region
export const action = ({ request }) => handler(request);
// #endregion
