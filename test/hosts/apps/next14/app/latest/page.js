import { PaymentsClient } from 'pix-automatic-sdk';

// #region
export const dynamic = 'force-dynamic'; // else `next build` prerenders a page without parameters, and fails
// #endregion

export default async function LatestOrder() {
  const { situation } = await PaymentsClient.fromEnv().getTransaction('5dbc4bd6-0b8d-4c5c-9f9b-6c9f7f0a1a11');
  return <p>It is {situation}</p>;
}
