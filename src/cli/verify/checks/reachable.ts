import { say } from '../../language';
import type { TextKey } from '../../texts';
import { type CheckDefinition, type Findings, isRedirect } from '../check';
import { UNTRUSTED, WRONG_SCHEME } from '../effects';
import { type Exchange, fingerprint, type Session } from '../session';

/** Comes first: without it no other check can say anything. */
export const reachable: CheckDefinition = {
  id: 'reachable',
  async run(findings, session) {
    const { payment } = await session.sale();
    const exchange = await session.send(say('run.aPayment'), payment);
    const { reception } = exchange;
    if (reception === 'silent') findings.leaveOpen(exchange);
    if (reception === 'gone' || reception === 'broken')
      findings.fail(exchange, {}, ...adviceForError(exchange.error));
    if (reception === 'refused') {
      const advice = await adviceFor(exchange, session, JSON.stringify(payment.payload));
      findings.fail(exchange, {}, ...advice);
      await addProbes(findings, exchange, session);
    }
  },
};

function adviceForError(error = ''): TextKey[] {
  if (WRONG_SCHEME.test(error)) {
    return ['reachable.protocol'];
  }
  if (UNTRUSTED.test(error)) {
    return ['reachable.certificate'];
  }
  return [];
}

const forStatus: Readonly<Record<number, TextKey>> = {
  401: 'reachable.pair',
  415: 'reachable.mediaType',
  429: 'reachable.rateLimit',
};

async function adviceFor(exchange: Exchange, session: Session, body: string): Promise<TextKey[]> {
  const { httpStatus = 0, text } = exchange;
  if (isRedirect(exchange)) return ['reachable.redirects'];
  const isUnauthorized = httpStatus === 401 || httpStatus === 403;
  if (isUnauthorized && (await isLowerCaseOnly(session, body))) return ['reachable.headerCase'];
  const known = forStatus[httpStatus === 403 ? 401 : httpStatus];
  if (known !== undefined) return [known];
  if (text.includes('[object Object]') || (await isParsedTwice(session, body)))
    return ['reachable.parsesTwice'];
  if (fingerprint(await session.probe('this is no JSON')) === fingerprint(exchange) && httpStatus >= 500) {
    if (httpStatus > 500) return ['reachable.everything'];
    return ['reachable.body'];
  }
  const isLost = httpStatus === 404 || httpStatus === 405;
  if (isLost && (await session.probe(body, 'type=payment')).reception === 'accepted') {
    return ['reachable.query'];
  }
  const isInvalid = httpStatus === 400 || httpStatus === 422;
  return [
    isLost ? 'reachable.path' : isInvalid ? 'reachable.invalid' : 'reachable.log',
    session.hasRealSales ? 'reachable.saleExists' : 'reachable.saleMadeUp',
  ];
}

/** Whether it lets the right pair in under `authorization`, and not under `Authorization`, as the document writes it. */
async function isLowerCaseOnly(session: Session, body: string): Promise<boolean> {
  return (await session.probe(body, '', { headerName: 'authorization' })).reception === 'accepted';
}

/** It parses twice if it accepts a JSON string that holds the payload, and refuses one that holds no JSON. */
async function isParsedTwice(session: Session, body: string): Promise<boolean> {
  const withJson = await session.probe(JSON.stringify(body));
  if (withJson.reception !== 'accepted') return false;
  return (await session.probe(JSON.stringify('no JSON inside'))).reception !== 'accepted';
}

/** Adds what else helps to find the reason of a 5xx. */
async function addProbes(findings: Findings, exchange: Exchange, session: Session): Promise<void> {
  const { httpStatus = 0 } = exchange;
  if (httpStatus < 500) return;
  const unknown = await session.probe(JSON.stringify({ event: 'sandbox.made-up' }));
  if (unknown.reception === 'accepted') {
    findings.leaveOpen('reachable.refusesPayment');
  }
}
