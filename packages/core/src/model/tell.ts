/** Says something to those who watch, piece by piece while a step is at work; nothing of it is kept. */
export type Tell = (piece: string) => void;
