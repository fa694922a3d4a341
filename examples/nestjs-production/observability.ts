// What you see of the running process: log lines, metrics, traces, and errors in Sentry. None of it holds a
// credential or a field of a notification.
import type { ServerResponse } from 'node:http';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import * as Sentry from '@sentry/node';
import { pino } from 'pino';
import { ApiError, type PaymentsClientOptions, PaymentsError } from 'pix-automatic-sdk';
import type { WebhookDone, WebhookReport } from 'pix-automatic-sdk/webhooks';
import { Counter, Histogram } from 'prom-client';

export const logger = pino({
  messageKey: 'message',
  mixin: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }),
  // Not all of the error: TypeORM's have the query with its parameters, which name the payer.
  serializers: { err: ({ name, code, outcome, stack }) => ({ name, code, outcome, stack }) },
});

Sentry.init({
  dsn: process.env['SENTRY_DSN'], // without it, nothing is sent
  // The default integrations add the request, and the body of a notification names the payer.
  defaultIntegrations: false,
  integrations: [Sentry.onUncaughtExceptionIntegration(), Sentry.onUnhandledRejectionIntegration()],
  beforeSend(event, { originalException: error }) {
    // One issue for each way to fail, whatever the message says.
    if (error instanceof PaymentsError) event.fingerprint = fingerprintOf(error);
    return event;
  },
});

function fingerprintOf(error: PaymentsError) {
  const operation = 'operation' in error ? String(error.operation) : 'none';
  return [error.code, operation, error instanceof ApiError ? String(error.httpStatus) : 'none'];
}

/** A call that failed: a line in the log, and an issue in Sentry. */
export function reportError(error: unknown, message: string) {
  logger.error({ err: error }, message);
  Sentry.captureException(error);
}

const reports = new Counter({
  name: 'payments_reports_total',
  help: 'What the listener reported, by code and kind',
  labelNames: ['code', 'severity', 'kind'],
});

/** For `onReport` of the listener: a notification that nothing could be done with. */
export function reportNotification({
  code,
  severity,
  status,
  kind,
  key,
  delivery,
  reason,
  error,
  message,
}: WebhookReport) {
  reports.inc({ code, severity, kind: kind ?? 'none' });
  trace.getActiveSpan()?.setAttributes({ 'payments.key': key, 'error.type': code });
  const line = { code, severity, status, kind, key, delivery, reason, cause: nameOf(error) };
  if (severity === 'no') {
    logger.warn(line, message);
    return;
  }
  logger.error(line, message);
  Sentry.captureMessage(message, {
    level: severity === 'alert' ? 'error' : 'warning',
    fingerprint: [code, kind ?? 'none', String(status)],
    tags: { code, kind, key },
  });
}

/** The class of the error, and its SQLSTATE or the like. Its message may quote what was written to the database. */
function nameOf(error: unknown) {
  if (!(error instanceof Error)) return undefined;
  return [error.name, 'code' in error ? error.code : undefined].filter(Boolean).join(' ');
}

const doneSeconds = new Histogram({
  name: 'payments_done_seconds',
  help: 'Notifications that are done, by kind, whether they were done before, and where they came from',
  labelNames: ['kind', 'repeat', 'origin'],
});

/** For `onDone` of the listener. The span of the request says which notification it was. */
export function countNotification({ kind, key, isRepeat, durationMs, origin }: WebhookDone) {
  doneSeconds.observe({ kind, repeat: String(isRepeat), origin }, durationMs / 1_000);
  trace.getActiveSpan()?.setAttributes({ 'payments.kind': kind, 'payments.key': key });
}

/** During a rotation: whether the service still uses the pair before the current one, which is 0. */
export const credentialsUsed = new Counter({
  name: 'payments_credentials_total',
  help: 'Callbacks, by the pair of credentials that the service used',
  labelNames: ['pair'],
});

const provider = new NodeTracerProvider({
  // It reads OTEL_EXPORTER_OTLP_ENDPOINT. The service's name comes from OTEL_SERVICE_NAME.
  spanProcessors: process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
    ? [new BatchSpanProcessor(new OTLPTraceExporter())]
    : [],
});
provider.register();
const tracer = trace.getTracer('payments');

const deliverySeconds = new Histogram({
  name: 'payments_delivery_seconds',
  help: 'Requests to the listener, by HTTP status of the response',
  labelNames: ['status'],
});

/** A span and a duration for a request to the listener. What is done meanwhile gets child spans. */
export function observeDelivery(response: ServerResponse, deliver: () => void) {
  const end = deliverySeconds.startTimer();
  tracer.startActiveSpan('notification', { kind: SpanKind.SERVER }, (span) => {
    response.once('close', () => {
      end({ status: response.statusCode });
      span.setAttribute('http.response.status_code', response.statusCode).end();
    });
    deliver();
  });
}

/** Sends the spans and errors that are still in memory. */
export const flush = () => Promise.all([provider.forceFlush(), Sentry.flush(2_000)]);

/** For the client: a span for each attempt, as a child of the request that made the call. */
export const clientObservers: Pick<PaymentsClientOptions, 'onResponse'> = {
  onResponse({ operation, method, urlTemplate, attempt, status, durationMs, errorCode }) {
    const endTime = Date.now();
    const span = tracer.startSpan(`${method} ${urlTemplate}`, {
      kind: SpanKind.CLIENT,
      startTime: endTime - durationMs,
      attributes: {
        'payments.operation': operation,
        'http.request.method': method,
        'http.request.resend_count': attempt === 1 ? undefined : attempt - 1,
        'http.response.status_code': status,
        'error.type': errorCode,
      },
    });
    if (errorCode !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: errorCode });
    span.end(endTime);
  },
};
