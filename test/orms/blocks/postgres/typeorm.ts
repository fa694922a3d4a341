// npm install pix-automatic-sdk typeorm pg
import { typeormStore } from 'pix-automatic-sdk/stores';
import { DataSource } from 'typeorm';
import { entities } from '../../typeorm';

export const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities });
await dataSource.initialize();
export const store = typeormStore(dataSource, { maxTransactions: 8 });
