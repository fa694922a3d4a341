// npm install pix-automatic-sdk @prisma/client @prisma/adapter-pg
import { PrismaPg } from '@prisma/adapter-pg';
import { prismaStore } from 'pix-automatic-sdk/stores';
import { PrismaClient } from '../../prisma/generated/client';

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });
export const prisma = new PrismaClient({ adapter });
export const store = prismaStore(prisma, { dialect: 'postgres', maxTransactions: 8 });
