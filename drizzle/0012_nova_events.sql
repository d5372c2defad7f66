CREATE TABLE "nova_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "nova_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"server_uuid" varchar(255) NOT NULL,
	"name" varchar(64) NOT NULL,
	"status" varchar(16),
	"tag" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
