import { mount } from "svelte";
import "./ui/look.css";
import "./ui/theme.svelte";
import App from "./App.svelte";

const target = document.getElementById("page");
if (target) mount(App, { target });
