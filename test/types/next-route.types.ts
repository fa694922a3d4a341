// biome-ignore-all lint/suspicious/noExplicitAny: the text is that of Next.js
// biome-ignore-all lint/suspicious/noConfusingVoidType: the text is that of Next.js
// biome-ignore-all lint/complexity/noBannedTypes: the text is that of Next.js

// Checked only by `tsc`: the checks that Next.js generates for `export const POST = handler` in its app router, of versions
// 14 to 16 with webpack (`checkFields`) and of 16 (`RouteHandlerConfig`). `test/hosts` builds both applications.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookHandler } from 'pix-automatic-sdk/webhooks';

declare const handler: WebhookHandler;

interface NextRequest extends Request {
  readonly nextUrl: URL;
}
interface RouteHandlerConfig {
  GET?: (
    request: NextRequest,
    context: { params: Promise<{ id: string }> },
  ) => Promise<Response | void> | Response | void;
  POST?: (
    request: NextRequest,
    context: { params: Promise<{ id: string }> },
  ) => Promise<Response | void> | Response | void;
}
interface ParamCheck<T> {
  __tag__: string;
  __param_position__: string;
  __param_type__: T;
}
type OmitWithTag<T, K extends keyof any, _M> = Omit<T, K>;
type Diff<Base, T extends Base, Message extends string = ''> = 0 extends 1 & T
  ? {}
  : OmitWithTag<T, keyof Base, Message>;
type FirstArg<T extends Function> = T extends (...args: [infer T, any]) => any
  ? unknown extends T
    ? any
    : T
  : never;
type SecondArg<T extends Function> = T extends (...args: [any, infer T]) => any
  ? unknown extends T
    ? any
    : T
  : never;
declare function checkFields<_ extends { [k in keyof any]: never }>(): void;
checkFields<
  Diff<
    ParamCheck<Request | NextRequest>,
    { __tag__: 'POST'; __param_position__: 'first'; __param_type__: FirstArg<WebhookHandler> },
    'POST'
  >
>();
checkFields<
  Diff<
    ParamCheck<{ params: Promise<object> }>,
    { __tag__: 'POST'; __param_position__: 'second'; __param_type__: SecondArg<WebhookHandler> },
    'POST'
  >
>();
checkFields<
  Diff<
    { __tag__: 'POST'; __return_type__: Response | void | never | Promise<Response | void | never> },
    { __tag__: 'POST'; __return_type__: ReturnType<WebhookHandler> },
    'POST'
  >
>();
void ({ POST: handler } satisfies RouteHandlerConfig);

/** The same signatures in the other order. */
interface OtherOrder {
  (request: Request): Promise<Response>;
  (request: IncomingMessage, response: ServerResponse): Promise<void>;
}
checkFields<
  Diff<
    ParamCheck<Request | NextRequest>,
    // @ts-expect-error: refused by its first parameter
    { __tag__: 'POST'; __param_position__: 'first'; __param_type__: FirstArg<OtherOrder> },
    'POST'
  >
>();
checkFields<
  Diff<
    ParamCheck<{ params: Promise<object> }>,
    // @ts-expect-error: refused by its second parameter
    { __tag__: 'POST'; __param_position__: 'second'; __param_type__: SecondArg<OtherOrder> },
    'POST'
  >
>();
