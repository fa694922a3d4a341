import { MemoryJourneyRecords } from '../../src/journal';
import { testRecords } from './records-contract';

const records = new MemoryJourneyRecords();
testRecords('memory', () => records);
