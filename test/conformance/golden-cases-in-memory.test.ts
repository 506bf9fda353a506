import { testGoldenCases } from './golden-cases.ts';

testGoldenCases('memory');
