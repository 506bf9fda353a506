// Creates an empty database. Usage: node create-database.mjs NAME, with DATABASE_URL naming a database that exists.
import pg from 'pg';

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await client.query(`CREATE DATABASE ${client.escapeIdentifier(process.argv[2])}`);
await client.end();
