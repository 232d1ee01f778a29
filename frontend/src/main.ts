import { mount } from "svelte";
import "./lib/look.css";
import "./lib/theme.svelte";
import App from "./App.svelte";

const target = document.getElementById("page");
if (target) mount(App, { target });
