// The records of a store in DynamoDB, with @aws-sdk/lib-dynamodb and @aws-sdk/client-dynamodb:
// `createStore(new DynamoRecords(DynamoDBDocument.from(new DynamoDBClient()), 'pix_automatic'))`.
//
// The table's partition key is `place` and its sort key `id`, both texts, with time to live on `expiresAt`. What is listed
// shares a `place`. Do not use a global table in several regions: it merges writes instead of comparing them.
//
// DynamoDB has no clock, so each process uses its own. A process whose clock is ahead takes over a lease that much early:
// callbacks that end in time overlap only if two clocks differ by more than 15 s. And nothing checks `before` where the
// write is carried out: a late write still takes effect, but its lease counts from the read. So keep the clocks
// synchronized (AWS does so on Lambda, and on EC2 by its time service), and protect effects that cost money with
// `context.fence`.
import type { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import type { ListedRecord, ListPage, ReadRecord, RecordStore, WriteRecord } from 'pix-automatic-sdk/stores';

function keyOf(id: string) {
  return { place: /^[\w.-]+\/(?:letter|order|open):/.exec(id)?.[0] ?? id, id };
}

export class DynamoRecords implements RecordStore {
  readonly #client: DynamoDBDocument;
  readonly #table: string;

  constructor(client: DynamoDBDocument, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async read(id: string): Promise<ReadRecord> {
    const { Item } = await this.#client.get({ TableName: this.#table, Key: keyOf(id), ConsistentRead: true });
    return {
      record: Item === undefined ? undefined : String(Item['record']),
      version: Number(Item?.['version'] ?? 0),
      now: Date.now(), // DynamoDB has no clock to ask
    };
  }

  async write(id: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    if (Date.now() >= before) return false;
    const isNew = version === 0;
    try {
      await this.#client.put({
        TableName: this.#table,
        Item: { ...keyOf(id), record, version: next, expiresAt: Math.ceil(expiresAt / 1000) },
        ConditionExpression: isNew ? 'attribute_not_exists(#name)' : '#name = :version',
        ExpressionAttributeNames: { '#name': isNew ? 'id' : 'version' },
        ...(isNew ? {} : { ExpressionAttributeValues: { ':version': version } }),
      });
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  async list(prefix: string, { after = prefix, limit }: ListPage): Promise<readonly ListedRecord[]> {
    const listed: ListedRecord[] = [];
    for (let from = after; ; ) {
      const { Items = [], LastEvaluatedKey } = await this.#client.query({
        TableName: this.#table,
        ConsistentRead: true,
        KeyConditionExpression: 'place = :place AND id > :from',
        ExpressionAttributeValues: { ':place': prefix, ':from': from },
        Limit: limit,
      });
      for (const { id, record, expiresAt } of Items) {
        from = String(id);
        if (Number(expiresAt) * 1000 <= Date.now()) continue; // deleted some time after it has expired
        if (listed.push({ key: from, record: String(record) }) === limit) return listed;
      }
      if (LastEvaluatedKey === undefined) return listed;
    }
  }
}
