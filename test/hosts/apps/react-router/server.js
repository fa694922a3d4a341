import { createRequestHandler } from '@react-router/express';
import express from 'express';
import * as build from './build/server/index.js';

express().use(createRequestHandler({ build })).listen(process.env.PORT, '127.0.0.1');
