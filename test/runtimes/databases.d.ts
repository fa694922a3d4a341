// What examples/own-store uses of packages that are not installed here. The test runs it on the real ones, in workerd and
// with the client of AWS.

/** Global in a project with `@cloudflare/workers-types`. */
interface DurableObjectNamespace<Stub> {
  getByName(name: string): { [Method in 'read' | 'write' | 'list']: Stub[Method & keyof Stub] };
}

declare module 'cloudflare:workers' {
  export class DurableObject<Env = unknown> {
    protected env: Env;
    protected ctx: {
      storage: Record<'put' | 'delete' | 'setAlarm', (...args: unknown[]) => Promise<void>> & {
        get<Value>(key: string): Promise<Value | undefined>;
        getAlarm(): Promise<number | null>;
        list<Value>(options?: {
          prefix?: string;
          startAfter?: string;
          limit?: number;
        }): Promise<Map<string, Value>>;
      };
    };
  }
}

declare module '@aws-sdk/lib-dynamodb' {
  type Input = Readonly<Record<string, unknown>>;
  export interface DynamoDBDocument {
    get(input: Input): Promise<{ Item?: Record<string, unknown> }>;
    put(input: Input): Promise<unknown>;
    query(input: Input): Promise<{ Items?: Record<string, unknown>[]; LastEvaluatedKey?: object }>;
  }
}
