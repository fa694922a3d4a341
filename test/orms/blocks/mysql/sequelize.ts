// npm install pix-automatic-sdk sequelize mysql2
import { sequelizeStore } from 'pix-automatic-sdk/stores';
import { Sequelize } from 'sequelize';

export const sequelize = new Sequelize(process.env.DATABASE_URL ?? '', { logging: false });
export const store = sequelizeStore(sequelize); // its pool has 5 connections: the store takes 4
