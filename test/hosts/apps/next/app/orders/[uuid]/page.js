import { PaymentsClient } from 'pix-automatic-sdk';

export default async function Order({ params }) {
  const { uuid } = await params;
  const { situation } = await PaymentsClient.fromEnv().getTransaction(uuid);
  return <p>It is {situation}</p>;
}
