import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './drizzle-schema.ts',
  dbCredentials: { url: process.env['DATABASE_URL'] ?? '' },
  ...(process.env['TABLES_FILTER'] && { tablesFilter: [process.env['TABLES_FILTER']] }),
});
