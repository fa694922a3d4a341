// What the blocks of docs/write-your-own-store.md use of packages that are not installed here. The test runs them on
// the real ones, in workerd and with the client of AWS.

/** Global in a project with `@cloudflare/workers-types`, as are the two below. */
interface D1Database {
  prepare(sql: string): D1PreparedStatement;
}
interface D1PreparedStatement {
  bind(...values: unknown[]): D1PreparedStatement;
  first<Row>(): Promise<Row | null>;
  run(): Promise<{ meta: { changes: number } }>;
}
interface DurableObjectNamespace<Stub> {
  getByName(name: string): { [Method in 'read' | 'write']: Stub[Method & keyof Stub] };
}

declare module 'cloudflare:workers' {
  export class DurableObject<Env = unknown> {
    protected env: Env;
    protected ctx: {
      storage: {
        get<Value>(key: string): Promise<Value | undefined>;
        put(key: string, value: unknown): Promise<void>;
        deleteAll(): Promise<void>;
        setAlarm(at: number): Promise<void>;
      };
    };
  }
}

declare module '@aws-sdk/lib-dynamodb' {
  export interface DynamoDBDocument {
    get(input: {
      TableName: string;
      Key: Record<string, unknown>;
      ConsistentRead?: boolean;
    }): Promise<{ Item?: Record<string, unknown> }>;
    put(input: {
      TableName: string;
      Item: Record<string, unknown>;
      ConditionExpression?: string;
      ExpressionAttributeNames?: Record<string, string>;
      ExpressionAttributeValues?: Record<string, unknown>;
    }): Promise<unknown>;
  }
}
