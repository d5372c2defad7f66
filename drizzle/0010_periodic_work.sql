CREATE TABLE "periodic_work" (
	"name" varchar(255) PRIMARY KEY NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"runner" uuid NOT NULL,
	"leased_until" timestamp with time zone NOT NULL
);
