import { notFound } from 'next/navigation';
import { decodeQrCode } from 'pix-automatic-sdk';
import { orders } from '../../../lib/orders';

export default async function Page({ params }: { params: Promise<{ uuid: string }> }) {
  const order = orders.get((await params).uuid);
  if (!order) notFound();
  if (order.paid) return <p>{`Paid: ${order.reference}`}</p>;
  const image = decodeQrCode(order.qrCode);
  return (
    <>
      {/* biome-ignore lint/performance/noImgElement: the picture is in the page, and there is nothing to optimize */}
      {image && <img src={image.dataUrl} alt="QR code" />}
      <p>{order.qrCode.plain}</p>
    </>
  );
}
