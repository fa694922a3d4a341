// npm install pix-automatic-sdk typeorm mysql2
import { typeormStore } from 'pix-automatic-sdk/stores';
import { DataSource } from 'typeorm';
import { entities } from '../../typeorm';

export const dataSource = new DataSource({ type: 'mysql', url: process.env.DATABASE_URL, entities });
await dataSource.initialize();
export const store = typeormStore(dataSource, { maxTransactions: 8 });
