import { notFound } from 'next/navigation';
import { decodeQrCode } from 'pix-automatic-sdk';
import { orders, request } from '../../../lib/orders';

export default async function Page({ params }: { params: Promise<{ uuid: string }> }) {
  const found = await orders().find({ uuid: (await params).uuid });
  if (!found) notFound();
  // Gives the order's journey on each visit, and none once it is paid.
  const order = await orders().open(found.key, request);
  if (order.state !== 'open')
    return <p>{order.state === 'paid' ? `Paid: ${found.key}` : 'We are looking at your payment.'}</p>;
  const image = decodeQrCode(order.qrCode);
  return (
    <>
      {/* biome-ignore lint/performance/noImgElement: the picture is in the page, and there is nothing to optimize */}
      {image && <img src={image.dataUrl} alt="QR code" />}
      <p>{order.qrCode.plain}</p>
    </>
  );
}
