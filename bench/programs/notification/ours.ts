import { timingSafeEqual } from 'node:crypto';
import { constructNotification, verifyAuthorization } from 'pix-automatic-sdk/webhooks';
import { credentials, type Delivery } from './deliveries';

type Any = Delivery<string | Buffer>;

const expected = Buffer.from(`${credentials.apiKey}:${credentials.apiToken}`).toString('base64');
const expectedBytes = Buffer.from(`Basic ${expected}`);

/** The least that a listener does: compare in constant time, and parse. */
function floor({ authorization, body }: Any): unknown {
  if (!isAuthorized(authorization)) throw new Error('The credentials are not ours.');
  return JSON.parse(typeof body === 'string' ? body : body.toString());
}

function isAuthorized(authorization: string): boolean {
  const given = Buffer.from(authorization);
  return given.length === expectedBytes.length && timingSafeEqual(given, expectedBytes);
}

function ours({ authorization, url, body }: Any): unknown {
  return constructNotification({ authorization, url, body }, credentials);
}

export const verifiers = { 'the floor': floor, 'this library': ours };

/** Candidates for the cost of a forged header. */
export const refusals = {
  'the floor': refused(floor),
  'this library': refused(ours),
  'its verifyAuthorization, which does not throw': ({ authorization }: Any) =>
    verifyAuthorization(authorization, credentials),
};

function refused(verify: (delivery: Any) => unknown) {
  return (delivery: Any) => {
    try {
      verify(delivery);
    } catch (error) {
      return error;
    }
    throw new Error('A forged header was accepted.');
  };
}
