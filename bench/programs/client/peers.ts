// Types of the parts that are used: the peers are not installed in the root, where the types are checked.

interface KyOptions {
  readonly headers: object;
  readonly json?: object;
}
interface KyAnswer {
  json(schema?: unknown): Promise<unknown>;
}
export interface Ky {
  readonly default: {
    get(url: string, options: KyOptions): KyAnswer;
    post(url: string, options: KyOptions): KyAnswer;
  };
}

export interface OpenAI {
  readonly default: new (options: {
    readonly apiKey: string;
    readonly baseURL: string;
    readonly defaultHeaders: object;
  }) => {
    get(path: string): Promise<unknown>;
    post(path: string, options: { readonly body: object; readonly headers: object }): Promise<unknown>;
  };
}

export interface Stripe {
  readonly default: new (
    key: string,
    options: object,
  ) => {
    readonly customers: { retrieve(id: string): Promise<unknown>; create(body: object): Promise<unknown> };
  };
}

export interface Undici {
  request(
    url: string,
    options: {
      readonly method?: string;
      readonly headers: Record<string, string>;
      readonly body?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: { text(): Promise<string>; json(): Promise<unknown> };
  }>;
}
