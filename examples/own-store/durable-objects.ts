// The records of a store in Durable Objects: `createStore(durableRecords(env.RECORDS))`.
//
// One object for each key, and one for all that is listed. No other request of an object runs while it waits for its
// storage, so a read followed by a write is atomic here. The alarm deletes what has expired. Put the class under
// `new_sqlite_classes` in your migrations: objects without SQLite keep 128 KiB a value, and a dead letter or a QR code
// may be larger. The clock is that of the machine that the object lives on: a move may shift the end of a lease a little.
import { DurableObject } from 'cloudflare:workers';
import type { ListedRecord, ListPage, ReadRecord, RecordStore, WriteRecord } from 'pix-automatic-sdk/stores';

interface Row {
  record: string;
  version: number;
  expiresAt: number;
}

export class Records extends DurableObject {
  async read(key: string): Promise<ReadRecord> {
    const row = await this.ctx.storage.get<Row>(key);
    return { record: row?.record, version: row?.version ?? 0, now: Date.now() };
  }

  async write(key: string, { record, version, next, before, expiresAt }: WriteRecord): Promise<boolean> {
    const row = await this.ctx.storage.get<Row>(key);
    if ((row?.version ?? 0) !== version || Date.now() >= before) return false;
    await this.ctx.storage.put(key, { record, version: next, expiresAt });
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > expiresAt) await this.ctx.storage.setAlarm(expiresAt);
    return true;
  }

  async list(prefix: string, { after, limit }: ListPage): Promise<ListedRecord[]> {
    const listed: ListedRecord[] = [];
    for (let startAfter = after ?? prefix; ; ) {
      const rows = await this.ctx.storage.list<Row>({ prefix, startAfter, limit });
      for (const [key, { record, expiresAt }] of rows) {
        if (expiresAt > Date.now() && listed.push({ key, record }) === limit) return listed;
        startAfter = key;
      }
      if (rows.size < limit) return listed;
    }
  }

  async alarm(): Promise<void> {
    let next: number | undefined;
    for (const [key, { expiresAt }] of await this.ctx.storage.list<Row>()) {
      if (expiresAt <= Date.now()) await this.ctx.storage.delete(key);
      else next = Math.min(next ?? expiresAt, expiresAt);
    }
    if (next !== undefined) await this.ctx.storage.setAlarm(next);
  }
}

export function durableRecords(namespace: DurableObjectNamespace<Records>): RecordStore {
  const objectOf = (key: string) => {
    const [listed] = /^[\w.-]+\/(?:letter|order|open):/.exec(key) ?? [];
    return namespace.getByName(listed ?? key);
  };
  return {
    read: (key) => objectOf(key).read(key),
    write: (key, change) => objectOf(key).write(key, change),
    list: (prefix, page) => objectOf(prefix).list(prefix, page),
  };
}
