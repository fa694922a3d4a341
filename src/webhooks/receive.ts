import { InvalidNotificationError } from '../errors';
import { answer, type PlainResponse } from './answer';
import { checkAgainst } from './authorization';
import { conclude, type Listener } from './conclude';
import { readJsonObject, recognize } from './recognize';
import type { Reporter, WebhookReportCode, WebhookReportDetails } from './report';
import { BodyProblem, headOf, type PlainRequest, receiveBody } from './request';
import { callbackFor, runOnce } from './run-once';
import { comparisonOf } from './unexpected-repeat';

/** Takes a request to its answer, independent of any runtime. */
export async function receive(request: Request | PlainRequest, listener: Listener): Promise<PlainResponse> {
  const startedAt = performance.now();
  const { expectedAuthorizations, getAuthorization, kinds, report } = listener;
  const head = headOf(request);

  // Authorize, before the body is read.
  if (head.method !== 'POST') return refuse(report, 'method_not_allowed', { status: 405 });
  const authorized = checkAgainst(getAuthorization(head), expectedAuthorizations);
  if (!authorized.ok) return refuse(report, 'unauthorized', { status: 401, reason: authorized.reason });

  try {
    // Read and recognize.
    const body = await receiveBody(request, listener);
    const recognized = recognize(readJsonObject(body), head, kinds);

    // Act.
    const run = callbackFor(recognized, authorized.index, listener);
    const result =
      'code' in run
        ? run
        : await runOnce({ ...run, comparison: comparisonOf(recognized.notification, kinds) }, listener);

    // Conclude.
    const received = { body, url: head.url };
    const ended = { ...recognized, result, origin: 'delivery', startedAt, received } as const;
    return answer(await conclude(ended, listener));
  } catch (error) {
    if (error instanceof BodyProblem) return refuse(report, error.code, error);
    if (!(error instanceof InvalidNotificationError)) throw error;
    const { issues, body } = error;
    return refuse(report, 'invalid_body', { status: 400, issues, received: body });
  }
}

/** Reports, and returns an answer that reveals nothing of the report. */
export function refuse(
  report: Reporter,
  code: WebhookReportCode,
  details: WebhookReportDetails,
): PlainResponse {
  report(code, details);
  return answer(details.status);
}
